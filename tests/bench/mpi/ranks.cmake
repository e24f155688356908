# Cases over processes; those with fewer ranks run in some of the processes.
set(mpi_ranks 1 2 4)
set(mpi_shared "")
set(mpi_links "")
set(mpi_slow TRUE)
