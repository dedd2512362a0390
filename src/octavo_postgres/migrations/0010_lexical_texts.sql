-- The analysed texts themselves, for pg_search to index. Kept only in a library that was told to have them
-- (`lexical_texts` in `library`): 1 while they are being filled in, 2 once every chunk has its row.

create table lexical_texts (
  key bigint primary key references chunks (key) on delete cascade,
  project bigint not null references projects (key),
  title text not null,
  headings text not null,
  keywords text not null,
  description text not null,
  tags text not null,
  aliases text not null,
  body text not null
);
