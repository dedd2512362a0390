-- A checksum beside what cannot be computed again to compare with: vectors, and the analysed words of chunks.
-- Whoever migrates an older library fills them in.

alter table vectors add column checksum integer;
alter table lexical_blocks add column checksum integer;
