package com.example.tasks

import java.io.File
import java.time.LocalDate

enum class Priority { LOW, NORMAL, HIGH }

data class Task(
    val id: Int,
    val title: String,
    val priority: Priority = Priority.NORMAL,
    val due: LocalDate? = null,
    val done: Boolean = false,
) {
    fun isOverdue(today: LocalDate): Boolean = !done && due != null && due.isBefore(today)
}

class TaskNotFoundException(id: Int) : Exception("No task with id $id")

class TaskStore {
    private val tasks = mutableMapOf<Int, Task>()
    private var nextId = 1

    val size: Int
        get() = tasks.size

    fun add(title: String, priority: Priority = Priority.NORMAL, due: LocalDate? = null): Task {
        require(title.isNotBlank()) { "title must not be blank" }
        val task = Task(nextId++, title.trim(), priority, due)
        tasks[task.id] = task
        return task
    }

    fun get(id: Int): Task = tasks[id] ?: throw TaskNotFoundException(id)

    fun complete(id: Int): Task {
        val completed = get(id).copy(done = true)
        tasks[id] = completed
        return completed
    }

    fun remove(id: Int) {
        if (tasks.remove(id) == null) {
            throw TaskNotFoundException(id)
        }
    }

    fun open(): List<Task> = tasks.values.filter { !it.done }

    fun overdue(today: LocalDate = LocalDate.now()): List<Task> =
        tasks.values.filter { it.isOverdue(today) }.sortedBy { it.due }

    fun byPriority(): Map<Priority, List<Task>> = open().groupBy { it.priority }

    fun save(file: File) {
        file.printWriter().use { writer ->
            for (task in tasks.values) {
                writer.println("${task.id}\t${task.title}\t${task.priority}\t${task.done}")
            }
        }
    }

    fun load(file: File) {
        tasks.clear()
        file.forEachLine { line ->
            val (id, title, priority, done) = line.split('\t')
            tasks[id.toInt()] = Task(id.toInt(), title, Priority.valueOf(priority), done = done.toBoolean())
        }
        nextId = (tasks.keys.maxOrNull() ?: 0) + 1
    }
}
