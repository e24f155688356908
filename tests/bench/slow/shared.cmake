# Trainings are drawn and crashed as in the quick tests.
set(shared case/exact_draws.cpp case/exact_runs.cpp case/exact_models.cpp case/random_cases.cpp case/random_layers.cpp case/resumed_runs.cpp)
