# Cases over processes; those of fewer ranks run in some of them.
set(mpi_ranks 1 2 4)
set(mpi_shared "")
set(mpi_links "")
