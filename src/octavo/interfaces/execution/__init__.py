"""Operations run for servers: in threads, in processes beside them, and answers streamed while they are written."""
