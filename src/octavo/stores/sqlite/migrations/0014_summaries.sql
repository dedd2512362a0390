-- What sections and files say as a whole, each with a vector. A document whose text changes loses its summaries.

create table if not exists summaries (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  profile integer not null references embedding_profiles (key) on delete cascade,
  node text not null,
  start integer not null,
  "end" integer not null,
  path text not null,
  maker text not null,
  summary text not null,
  data blob not null,
  made_at real not null
);

create index if not exists summaries_by_document on summaries (document, node, maker);
create index if not exists summaries_by_node on summaries (project, profile, node, key);

create trigger if not exists documents_lose_their_summaries after update of text_hash on documents
when old.text_hash is not new.text_hash begin
  delete from summaries where document = old.key;
end;
