package com.example.library;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

public class Library {
    private static final int LOAN_DAYS = 21;

    public record Book(String isbn, String title, String author) {}

    public record Loan(Book book, String member, LocalDate due) {
        public boolean isOverdue(LocalDate today) {
            return today.isAfter(due);
        }
    }

    private final Map<String, Book> books = new HashMap<>();
    private final Map<String, Loan> loans = new HashMap<>();

    public void add(Book book) {
        if (book == null) {
            throw new IllegalArgumentException("book must not be null");
        }
        books.put(book.isbn(), book);
    }

    public Optional<Book> find(String isbn) {
        return Optional.ofNullable(books.get(isbn));
    }

    public Loan lend(String isbn, String member, LocalDate today) {
        Book book = find(isbn)
                .orElseThrow(() -> new IllegalArgumentException("Unknown book: " + isbn));
        if (loans.containsKey(isbn)) {
            throw new IllegalStateException("Already lent: " + isbn);
        }
        Loan loan = new Loan(book, member, today.plusDays(LOAN_DAYS));
        loans.put(isbn, loan);
        return loan;
    }

    public void giveBack(String isbn) {
        if (loans.remove(isbn) == null) {
            throw new IllegalStateException("Not lent: " + isbn);
        }
    }

    public List<Loan> overdue(LocalDate today) {
        return loans.values().stream()
                .filter(loan -> loan.isOverdue(today))
                .sorted(Comparator.comparing(Loan::due))
                .collect(Collectors.toList());
    }

    public Map<String, List<Book>> byAuthor() {
        Map<String, List<Book>> result = new HashMap<>();
        for (Book book : books.values()) {
            result.computeIfAbsent(book.author(), key -> new ArrayList<>()).add(book);
        }
        return result;
    }

    public int available() {
        return books.size() - loans.size();
    }
}
