import { useState, type FormEvent } from 'react';

interface Todo {
  id: number;
  title: string;
  done: boolean;
}

interface TodoItemProps {
  todo: Todo;
  onToggle: (id: number) => void;
  onRemove: (id: number) => void;
}

function TodoItem({ todo, onToggle, onRemove }: TodoItemProps) {
  return (
    <li className={todo.done ? 'todo todo--done' : 'todo'}>
      <label>
        <input type="checkbox" checked={todo.done} onChange={() => onToggle(todo.id)} />
        {todo.title}
      </label>
      <button type="button" onClick={() => onRemove(todo.id)}>
        Remove
      </button>
    </li>
  );
}

export function TodoList() {
  const [todos, setTodos] = useState<Todo[]>([]);
  const [title, setTitle] = useState('');

  const remaining = todos.filter((todo) => !todo.done).length;

  function handleSubmit(event: FormEvent) {
    event.preventDefault();
    const trimmed = title.trim();
    if (trimmed === '') return;
    setTodos([...todos, { id: Date.now(), title: trimmed, done: false }]);
    setTitle('');
  }

  function toggle(id: number) {
    setTodos(todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo)));
  }

  function remove(id: number) {
    setTodos(todos.filter((todo) => todo.id !== id));
  }

  return (
    <section>
      <form onSubmit={handleSubmit}>
        <input value={title} onChange={(event) => setTitle(event.target.value)} />
        <button type="submit">Add</button>
      </form>
      <ul>
        {todos.map((todo) => (
          <TodoItem key={todo.id} todo={todo} onToggle={toggle} onRemove={remove} />
        ))}
      </ul>
      <p>{remaining} left</p>
    </section>
  );
}
