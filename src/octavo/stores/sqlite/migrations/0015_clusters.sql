-- Clusters of texts by meaning: where their middles are, and which text belongs to which. The middles are little-endian
-- float32, one after the other; the profiles are those whose vectors were clustered. Cluster -1 is that of no cluster.

create table if not exists clusterings (
  project integer primary key references projects (key),
  profiles text not null,
  centroids blob not null,
  chunks integer not null,
  made_at real not null
);

create table if not exists input_clusters (
  project integer not null references projects (key),
  input integer not null references inputs (key) on delete cascade,
  cluster integer not null,
  primary key (project, input)
) without rowid;

create index if not exists input_clusters_by_cluster on input_clusters (project, cluster, input);
create index if not exists input_clusters_by_input on input_clusters (input);
