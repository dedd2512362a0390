/*
 * Licensed under the Apache License, Version 2.0.
 */
package org.example.books;

import java.math.BigDecimal;
import java.util.*;
import static java.util.Objects.requireNonNull;

/**
 * A ledger of accounts. Every entry is written twice, {@code debit} and {@code credit}.
 *
 * @author nobody
 */
@Entity
@Table(name = "ledger")
public final class Ledger implements Iterable<Ledger.Entry> {

    private static final BigDecimal ZERO = BigDecimal.ZERO;
    private final List<Entry> entries = new ArrayList<>();

    /** An amount that moved from one account to another. */
    public record Entry(String from, String to, BigDecimal amount) {
        public Entry {
            requireNonNull(amount);
        }
    }

    public enum Side {
        DEBIT, CREDIT;

        Side other() {
            return this == DEBIT ? CREDIT : DEBIT;
        }
    }

    public Ledger() {
    }

    /**
     * Writes an entry.
     *
     * @throws IllegalArgumentException if the amount is not positive
     */
    public void post(Entry entry) {
        if (entry.amount().compareTo(ZERO) <= 0) {
            throw new IllegalArgumentException("amount must be positive: " + entry.amount());
        }
        entries.add(entry);
    }

    @Override
    public Iterator<Entry> iterator() {
        return List.copyOf(entries).iterator();
    }

    interface Visitor {
        void visit(Entry entry);
    }
}
