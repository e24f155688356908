# Trainings are drawn as in the quick test.
set(shared case/exact_draws.cpp case/exact_runs.cpp case/exact_models.cpp case/random_cases.cpp case/random_layers.cpp)
