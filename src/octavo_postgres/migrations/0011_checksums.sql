-- A checksum of the little-endian halves of a vector; those written before have none.

alter table vectors add column if not exists checksum bigint;
