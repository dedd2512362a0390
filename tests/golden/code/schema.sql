-- Members of the club and what they borrowed.
CREATE TABLE club.members (
    id integer PRIMARY KEY,
    name text NOT NULL,
    joined date DEFAULT current_date
);

CREATE INDEX members_by_name ON club.members (name);

/* Who has something at home. */
CREATE VIEW borrowers AS
SELECT m.name, count(*) AS items
FROM club.members m
JOIN loans l ON l.member = m.id
WHERE l.returned IS NULL
GROUP BY m.name;

CREATE OR REPLACE FUNCTION overdue(days integer) RETURNS integer AS $$
    SELECT count(*) FROM loans WHERE returned IS NULL AND lent < current_date - days;
$$ LANGUAGE sql;

INSERT INTO club.members (id, name) VALUES (1, 'Ada'), (2, 'Grace');

SELECT name FROM borrowers ORDER BY items DESC LIMIT 10;
