CREATE TABLE members (
    id SERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    joined_on DATE NOT NULL DEFAULT CURRENT_DATE
);

CREATE TABLE books (
    isbn CHAR(13) PRIMARY KEY,
    title VARCHAR(200) NOT NULL,
    author VARCHAR(100) NOT NULL,
    copies INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE loans (
    id SERIAL PRIMARY KEY,
    isbn CHAR(13) NOT NULL REFERENCES books (isbn),
    member_id INTEGER NOT NULL REFERENCES members (id),
    lent_on DATE NOT NULL DEFAULT CURRENT_DATE,
    due_on DATE NOT NULL,
    returned_on DATE,
    CHECK (due_on >= lent_on)
);

CREATE INDEX open_loans ON loans (isbn) WHERE returned_on IS NULL;

CREATE FUNCTION copies_left(wanted CHAR(13)) RETURNS INTEGER AS $$
    SELECT books.copies - COUNT(loans.id)::INTEGER
    FROM books
    LEFT JOIN loans ON loans.isbn = books.isbn AND loans.returned_on IS NULL
    WHERE books.isbn = wanted
    GROUP BY books.copies;
$$ LANGUAGE sql STABLE;

CREATE FUNCTION lend(wanted CHAR(13), borrower INTEGER) RETURNS INTEGER AS $$
DECLARE
    loan_id INTEGER;
BEGIN
    IF copies_left(wanted) < 1 THEN
        RAISE EXCEPTION 'No copy of % is left', wanted;
    END IF;
    INSERT INTO loans (isbn, member_id, due_on)
    VALUES (wanted, borrower, CURRENT_DATE + INTERVAL '21 days')
    RETURNING id INTO loan_id;
    RETURN loan_id;
END;
$$ LANGUAGE plpgsql;

UPDATE loans
SET returned_on = CURRENT_DATE
WHERE id = 42 AND returned_on IS NULL;

SELECT m.name, b.title, CURRENT_DATE - l.due_on AS days_late
FROM loans l
JOIN members m ON m.id = l.member_id
JOIN books b ON b.isbn = l.isbn
WHERE l.returned_on IS NULL AND l.due_on < CURRENT_DATE
ORDER BY days_late DESC;
