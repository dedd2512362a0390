-- Clusters of texts by meaning: where their middles are, and which text belongs to which. The middles are little-endian
-- float32, one after the other; the profiles are those whose vectors were clustered. Cluster -1 is that of no cluster.

create table if not exists clusterings (
  project bigint primary key references projects (key),
  profiles text not null,
  centroids bytea not null,
  chunks bigint not null,
  made_at double precision not null
);

create table if not exists input_clusters (
  project bigint not null references projects (key),
  input bigint not null references inputs (key) on delete cascade,
  cluster bigint not null,
  primary key (project, input)
);

create index if not exists input_clusters_by_cluster on input_clusters (project, cluster, input);
create index if not exists input_clusters_by_input on input_clusters (input);
