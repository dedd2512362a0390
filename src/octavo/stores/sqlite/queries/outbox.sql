-- name: job_waiting
select key from jobs
where project = :project and kind = :kind and subject = :subject and state = 'ready' order by key limit 1;

-- name: job_put
insert into jobs (
  project, kind, subject, payload, state, attempts, created_at, run_after, locked_by, lease_expires_at, finished_at,
  error)
values (:project, :kind, :subject, :payload, 'ready', 0, :now, :now, '', null, null, '');

-- name: job_sooner
update jobs set run_after = cast(case attempts when 0 then :now else :latest end as double precision)
where key = :key and run_after > cast(case attempts when 0 then :now else :latest end as double precision);

-- name: job_give_back
update jobs set state = 'ready', attempts = attempts - 1, run_after = :now, locked_by = '', lease_expires_at = null
where key = :key;

-- name: job_last
select max(key) from jobs;

-- name: fragment_due
-- Named states keep what is done, of which there is most, unread. What was never tried waits for nothing. What was
-- promised later than now was promised before the clock was set back: the instant it waits for is of that clock.
where project = :project and (:kinds is null or kind in (select value from json_each(:kinds))) and (
  (state = 'ready' and (attempts = 0 or run_after <= :now or created_at > :now))
  or (state = 'leased' and lease_expires_at <= :now))

-- name: jobs_due
select count(*) from jobs
-- include: due
;

-- name: jobs_exhausted
update jobs set state = 'dead', finished_at = :now, locked_by = '', lease_expires_at = null,
  error = case error when '' then 'its worker stopped without a word' else error end
where project = :project and state = 'leased' and lease_expires_at <= :now and attempts >= :max_attempts;

-- name: fragment_job
select key, kind, subject, payload, state, attempts, created_at, run_after, locked_by, lease_expires_at, finished_at,
  error
from jobs

-- name: jobs_claimable
-- include: job
-- include: due
order by run_after, key limit :limit;

-- name: job_lease
update jobs set state = 'leased', attempts = attempts + 1, locked_by = :worker, lease_expires_at = :expires_at
where key = :key;

-- name: jobs_holders
select distinct locked_by from jobs where project = :project and state = 'leased' and lease_expires_at > :now;

-- name: jobs_expire
update jobs set lease_expires_at = :now
where project = :project and state = 'leased' and locked_by in (select value from json_each(:holders));

-- name: job_leased
-- A lease that ran out but was taken by nobody is still held: only a later claim ends it.
select 1 from jobs where key = :key and state = 'leased' and locked_by = :worker and attempts = :attempts;

-- name: job_renew
update jobs set lease_expires_at = :expires_at where key = :key;

-- name: job_set_state
update jobs set state = :state, run_after = :run_after, finished_at = :finished_at, error = :error, locked_by = '',
  lease_expires_at = null
where key = :key;

-- name: jobs_listed
-- include: job
where project = :project and (:states is null or state in (select value from json_each(:states)))
order by key;

-- name: jobs_retry
update jobs set state = 'ready', attempts = 0, run_after = :now, finished_at = null
where project = :project and state in ('ready', 'dead') and key in (select value from json_each(:keys));

-- name: jobs_retryable
select count(*) from jobs
where project = :project and state in ('ready', 'dead') and key in (select value from json_each(:keys));

-- name: jobs_ended
select count(*) from jobs
where project = :project and state in (select value from json_each(:states)) and finished_at < :before;

-- name: jobs_purge
delete from jobs
where project = :project and state in (select value from json_each(:states)) and finished_at < :before;
