package com.example.validation

sealed class Validated<out T> {
    data class Valid<T>(val value: T) : Validated<T>()
    data class Invalid(val errors: List<String>) : Validated<Nothing>()

    fun <R> map(transform: (T) -> R): Validated<R> = when (this) {
        is Valid -> Valid(transform(value))
        is Invalid -> this
    }

    fun getOrNull(): T? = when (this) {
        is Valid -> value
        is Invalid -> null
    }

    fun errorsOrEmpty(): List<String> = when (this) {
        is Valid -> emptyList()
        is Invalid -> errors
    }
}

class Rule<T>(private val message: String, private val test: (T) -> Boolean) {
    fun check(value: T): String? = if (test(value)) null else message
}

class Validator<T>(private val rules: List<Rule<T>>) {
    fun validate(value: T): Validated<T> {
        val errors = rules.mapNotNull { it.check(value) }
        return if (errors.isEmpty()) Validated.Valid(value) else Validated.Invalid(errors)
    }
}

class ValidatorBuilder<T> {
    private val rules = mutableListOf<Rule<T>>()

    fun rule(message: String, test: (T) -> Boolean) {
        rules.add(Rule(message, test))
    }

    fun build(): Validator<T> = Validator(rules.toList())
}

fun <T> validator(block: ValidatorBuilder<T>.() -> Unit): Validator<T> =
    ValidatorBuilder<T>().apply(block).build()

data class SignUp(val name: String, val email: String, val age: Int)

val signUpValidator = validator<SignUp> {
    rule("name must not be empty") { it.name.isNotBlank() }
    rule("email must contain an @") { it.email.contains('@') }
    rule("age must be at least 18") { it.age >= 18 }
}

fun main() {
    val signUps = listOf(
        SignUp("Ada", "ada@example.com", 36),
        SignUp("", "nobody", 12),
    )
    for (signUp in signUps) {
        when (val result = signUpValidator.validate(signUp)) {
            is Validated.Valid -> println("welcome, ${result.value.name}")
            is Validated.Invalid -> result.errors.forEach { println(it) }
        }
    }
}
