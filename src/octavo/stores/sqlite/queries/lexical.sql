-- name: lexical_remove
delete from lexical where rowid = :key;

-- name: lexical_existing
-- Asked of the index itself, a range is read from end to end; its table of sizes knows the rows there are.
select id from lexical_docsize where id between :first and :last;

-- name: lexical_enlarge_buffer
-- So many bytes of postings are held before they are written: with more at a time, less is merged afterwards.
insert into lexical (lexical, rank) values ('hashsize', 8388608);

-- name: lexical_merge_after
-- How many segments of a size there are before a write merges them.
insert into lexical (lexical, rank) values ('automerge', :segments);

-- name: lexical_merged_after
select v from lexical_config where k = 'automerge';

-- name: lexical_put
insert into lexical (rowid, title, headings, keywords, description, tags, aliases, body)
values (:key, :title, :headings, :keywords, :description, :tags, :aliases, :body);

-- name: lexical_top
select rowid, rank from lexical where lexical match :match order by rank, rowid limit :limit;

-- name: lexical_top_admitted
-- `cross join` keeps this order: asked chunk by chunk, the index reads its postings anew for each.
select l.rowid, l.rank from lexical l
cross join chunks c on c.key = l.rowid
cross join documents d on d.key = c.document
where l.lexical match :match and c.project = :project
and (:unwanted is null or l.rowid not in (select rowid from lexical where lexical match :unwanted))
-- include: filters
order by l.rank, l.rowid limit :limit;

-- name: lexical_contains
select 1 from lexical l cross join chunks c on c.key = l.rowid
where l.lexical match :match and c.project = :project limit 1;

-- name: lexical_vocabulary
select term from lexical_words;

-- name: lexical_vocabulary_between
select term from lexical_words where term >= :first and term < :last order by term;

-- name: lexical_matching
select l.rowid from lexical l cross join chunks c on c.key = l.rowid
where l.lexical match :match and c.project = :project order by l.rowid limit :most;

-- name: lexical_rows
select id from lexical_docsize order by id;

-- name: lexical_sample
-- One in `stride` of the rows that belong to a chunk; the others are reported anyway.
select l.id from lexical_docsize l cross join chunks c on c.key = l.id where l.id % :stride = 0 order by l.id;

-- name: lexical_last
select coalesce(max(id), 0) from lexical_docsize;

-- name: lexical_instances_open
create virtual table if not exists temp.lexical_instances using fts5vocab (main, lexical, instance);

-- name: lexical_instances
-- The fields of every row, from its words and where each stands: the rows as they were analysed, put together again.
select doc, col, group_concat(term, ' ' order by "offset") from temp.lexical_instances group by doc, col order by doc, col;

-- name: lexical_drop
drop table if exists lexical;

-- name: lexical_create
-- As the first migration makes it.
create virtual table if not exists lexical using fts5 (
  title, headings, keywords, description, tags, aliases, body,
  content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

-- name: lexical_set_boosts
insert into lexical (lexical, rank) values ('rank', 'bm25(3.0, 2.5, 2.5, 2.0, 2.0, 1.5, 1.0)');

-- name: lexical_finds
select exists (select 1 from lexical where lexical match :match and rowid = :key);

-- name: chunk_keys
select key from chunks;

-- name: lexical_block_members
select key, chunks from lexical_blocks order by key;

-- name: lexical_block
select chunks, data from lexical_blocks where key = :key;

-- name: checked_blocks
select key, data, checksum, chunks from lexical_blocks where key > :after and key % :stride = 0 order by key limit :limit;

-- name: lexical_blocks_count
select count(*) from lexical_blocks;

-- name: lexical_block_rewrite
update lexical_blocks set chunks = :chunks, data = :data, checksum = :checksum where key = :key;

-- name: lexical_block_remove
delete from lexical_blocks where key = :key;

-- name: chunk_projects
select key, project from chunks;

-- name: lexical_block_entries
-- Chunks that the blocks hold, outdated ones included: a key takes eight bytes.
select coalesce(sum(length(chunks)), 0) / 8 from lexical_blocks;

-- name: chunks_in_all_projects
select count(*) from chunks;

-- name: lexical_merge
insert into lexical (lexical, rank) values ('merge', :pages);
