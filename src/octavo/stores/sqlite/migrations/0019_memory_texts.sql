-- What a memory says is in no folder: its text is stored a second time, whoever writes it, so that either copy can be
-- put back from the other. The hash says which of them is whole.

create table if not exists memory_texts (
  project integer not null references projects (key),
  hash blob not null,
  data blob not null,
  primary key (project, hash)
) without rowid;

insert or ignore into memory_texts (project, hash, data)
select t.project, t.hash, t.data from memory_versions v join texts t on t.project = v.project and t.hash = v.text_hash;

create trigger if not exists memory_texts_of_new_versions after insert on memory_versions begin
  insert or ignore into memory_texts (project, hash, data)
  select t.project, t.hash, t.data from texts t where t.project = new.project and t.hash = new.text_hash;
end;

-- A version changes where it held a secret: then no copy of that may stay.
create trigger if not exists memory_texts_of_changed_versions after update of text_hash on memory_versions begin
  insert or ignore into memory_texts (project, hash, data)
  select t.project, t.hash, t.data from texts t where t.project = new.project and t.hash = new.text_hash;
  delete from memory_texts where project = old.project and hash = old.text_hash and not exists (
    select 1 from memory_versions v where v.project = old.project and v.text_hash = old.text_hash);
end;
