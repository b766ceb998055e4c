import type { Request, Response } from 'express';
import { Router } from 'express';

interface User {
  id: number;
  name: string;
  email: string;
}

const users = new Map<number, User>();
let nextId = 1;

export const usersRouter = Router();

usersRouter.get('/', (_req: Request, res: Response) => {
  res.json([...users.values()]);
});

usersRouter.get('/:id', (req: Request, res: Response) => {
  const user = users.get(Number(req.params.id));
  if (!user) {
    res.status(404).json({ error: 'User not found' });
    return;
  }
  res.json(user);
});

usersRouter.post('/', (req: Request, res: Response) => {
  const { name, email } = req.body;
  if (!name || !email) {
    res.status(400).json({ error: 'Name and email are required' });
    return;
  }
  const user: User = { id: nextId++, name, email };
  users.set(user.id, user);
  res.status(201).json(user);
});

usersRouter.put('/:id', (req: Request, res: Response) => {
  const id = Number(req.params.id);
  const user = users.get(id);
  if (!user) {
    res.status(404).json({ error: 'User not found' });
    return;
  }
  const updated = { ...user, ...req.body, id };
  users.set(id, updated);
  res.json(updated);
});

usersRouter.delete('/:id', (req: Request, res: Response) => {
  const id = Number(req.params.id);
  if (!users.delete(id)) {
    res.status(404).json({ error: 'User not found' });
    return;
  }
  res.status(204).end();
});
