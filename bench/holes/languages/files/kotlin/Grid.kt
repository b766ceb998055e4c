package com.example.life

data class Cell(val row: Int, val column: Int) {
    fun neighbours(): List<Cell> =
        (-1..1).flatMap { dr -> (-1..1).map { dc -> Cell(row + dr, column + dc) } }
            .filter { it != this }
}

class Life(private val rows: Int, private val columns: Int, alive: Set<Cell> = emptySet()) {
    private var alive: Set<Cell> = alive.filter(::isInside).toSet()
    var generation = 0
        private set

    val population: Int
        get() = alive.size

    private fun isInside(cell: Cell): Boolean =
        cell.row in 0 until rows && cell.column in 0 until columns

    fun isAlive(cell: Cell): Boolean = cell in alive

    fun step() {
        val next = mutableSetOf<Cell>()
        for (row in 0 until rows) {
            for (column in 0 until columns) {
                val cell = Cell(row, column)
                val count = cell.neighbours().count { it in alive }
                if (count == 3 || (count == 2 && isAlive(cell))) {
                    next.add(cell)
                }
            }
        }
        alive = next
        generation++
    }

    fun run(generations: Int) {
        repeat(generations) { step() }
    }

    override fun toString(): String = buildString {
        for (row in 0 until rows) {
            for (column in 0 until columns) {
                append(if (isAlive(Cell(row, column))) '#' else '.')
            }
            appendLine()
        }
    }

    companion object {
        fun parse(text: String): Life {
            val lines = text.trim().lines()
            val cells = lines.flatMapIndexed { row, line ->
                line.mapIndexedNotNull { column, char -> if (char == '#') Cell(row, column) else null }
            }
            return Life(lines.size, lines.maxOf { it.length }, cells.toSet())
        }
    }
}
