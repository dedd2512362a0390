-- name: clustering
select profiles, chunks, made_at from clusterings where project = :project;

-- name: clustering_centroids
select centroids from clusterings where project = :project;

-- name: clustering_put
insert into clusterings (project, profiles, centroids, chunks, made_at)
values (:project, :profiles, :centroids, :chunks, :now)
on conflict (project) do update set
  profiles = excluded.profiles, centroids = excluded.centroids, chunks = excluded.chunks, made_at = excluded.made_at;

-- name: input_clusters_forget
delete from input_clusters where project = :project;

-- name: input_cluster_put
insert into input_clusters (project, input, cluster) values (:project, :input, :cluster)
on conflict (project, input) do update set cluster = excluded.cluster;

-- name: chunks_in_clusters
select distinct ci.chunk from input_clusters k join chunk_inputs ci on ci.input = k.input and ci.project = k.project
where k.project = :project and k.cluster in (select value from json_each(:keys)) order by ci.chunk;

-- name: chunk_clusters
select ci.chunk, k.cluster from input_clusters k join chunk_inputs ci on ci.input = k.input and ci.project = k.project
where k.project = :project order by ci.chunk, ci."window";
