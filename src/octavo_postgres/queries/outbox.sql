-- name: jobs_claimable
-- A job that another claim is just taking is passed over rather than waited for.
-- include: job
-- include: due
order by run_after, key limit :limit for update skip locked;

-- name: jobs_listen
listen octavo_jobs;
