package com.example.rooms;

import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

public class ReservationService {

    public record Reservation(UUID id, String room, String guest, LocalDate from, LocalDate to) {
        public Reservation {
            Objects.requireNonNull(room, "room");
            if (!to.isAfter(from)) {
                throw new IllegalArgumentException("to must be after from");
            }
        }

        boolean overlaps(LocalDate start, LocalDate end) {
            return from.isBefore(end) && start.isBefore(to);
        }

        long nights() {
            return to.toEpochDay() - from.toEpochDay();
        }
    }

    private final List<Reservation> reservations = new ArrayList<>();
    private final Clock clock;

    public ReservationService(Clock clock) {
        this.clock = clock;
    }

    public Reservation reserve(String room, String guest, LocalDate from, LocalDate to) {
        if (from.isBefore(LocalDate.now(clock))) {
            throw new IllegalArgumentException("cannot reserve in the past");
        }
        if (!isFree(room, from, to)) {
            throw new IllegalStateException("room " + room + " is taken");
        }
        Reservation reservation = new Reservation(UUID.randomUUID(), room, guest, from, to);
        reservations.add(reservation);
        return reservation;
    }

    public boolean isFree(String room, LocalDate from, LocalDate to) {
        return reservations.stream()
                .filter(reservation -> reservation.room().equals(room))
                .noneMatch(reservation -> reservation.overlaps(from, to));
    }

    public Optional<Reservation> find(UUID id) {
        return reservations.stream()
                .filter(reservation -> reservation.id().equals(id))
                .findFirst();
    }

    public boolean cancel(UUID id) {
        return reservations.removeIf(reservation -> reservation.id().equals(id));
    }

    public List<Reservation> upcoming(String guest) {
        LocalDate today = LocalDate.now(clock);
        return reservations.stream()
                .filter(reservation -> reservation.guest().equals(guest))
                .filter(reservation -> !reservation.from().isBefore(today))
                .sorted(Comparator.comparing(Reservation::from))
                .toList();
    }
}
