-- Vectors of more than 4,000 dimensions do not fit a page. Whatever does stays in its row, as before; the rest goes out of
-- line, uncompressed. Rows that are there already need no change.
alter table vectors alter column data set storage external;
alter table vectors set (toast_tuple_target = 8160);
