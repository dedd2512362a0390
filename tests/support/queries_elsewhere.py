"""Named queries that the conformance suite leaves to other suites, by the reason."""

from __future__ import annotations

ELSEWHERE: dict[str, str] = {
    "PostgreSQL's vector index and its planner: tests/postgres": """
        active_profile_settings chunks_nearest hnsw_described hnsw_drop hnsw_enable_iterative_scan hnsw_make
        hnsw_make_long hnsw_present hnsw_rename hnsw_set_ef_search hnsw_table index_lock planner_prefers_indexes
        statistics_take vectors_nearest vectors_nearest_long vectors_of_chunks_counted
        windows_of_chunks windows_of_inputs
    """,
    "pg_search, which few servers have: tests/postgres": """
        bm25_by_itself bm25_drop bm25_make bm25_matched_paradedb bm25_matched_pdb bm25_parsed_paradedb
        bm25_parsed_pdb lexical_texts_missing lexical_texts_put lexical_texts_remove
    """,
    "Snapshots, which SQLite alone has: tests/unit/snapshots": """
        chunk_changes_after chunk_changes_forget chunk_changes_newest chunk_places chunk_places_of
        chunk_projects chunk_runs chunk_sections chunks_in_all_projects chunks_with_new_vectors document_uris
        document_uris_of documents_admitted lexical_block_chunks lexical_blocks_after lexical_blocks_newest
        section_levels snapshot_begin snapshot_finish snapshot_forget snapshots_known vectors_newest
        windows_of
    """,
    "A schema is made before there is a store to record: tests/postgres/test_opening.py": """
        extension_make_pg_trgm extension_make_vector extensions halfvec_type migration_lock schema_isolated
        schema_present schema_put schema_usable schema_usable_put schema_version
    """,
    "Only PostgreSQL has replicas: tests/postgres/test_replicas.py": """
        primary_position replica_position server_identity
    """,
    "Only PostgreSQL notifies: tests/postgres/test_workers.py": """
        jobs_listen
    """,
    "FTS5's own blocks and their repair: tests/integration, tests/unit/stores": """
        lexical_block_entries lexical_block_remove lexical_block_rewrite lexical_create lexical_drop
        lexical_enlarge_buffer lexical_finds lexical_merge lexical_merge_after lexical_merged_after lexical_sample
        lexical_set_boosts
    """,
    "Upkeep of PostgreSQL's postings: tests/postgres": """
        lexical_blocks_empty lexical_blocks_join lexical_blocks_remove lexical_gone_rows lexical_live_rows
        lexical_postings_after lexical_postings_empty lexical_postings_replace lexical_projects
        lexical_rows_forget lexical_terms_all lexical_terms_empty
    """,
    "Copies between engines: tests/postgres/test_transfer.py": """
        lexical_last sequences_set table_columns
    """,
    "The second copy of what memories say, in a file alone: tests/integration": """
        memory_text_put memory_text_remove text_data text_put_back
    """,
    "Not a statement of its own, but part of every batch on PostgreSQL": """
        rows_of_arrays
    """,
}
