package lictor.pools.contract_test

test_plan_answers_its_vectors[name] if {
	some name, vector in _vectors("lictor.pools.plan")
	data.lictor.pools.plan == vector.want with input as vector.input
}

test_rank_answers_its_vectors[name] if {
	some name, vector in _vectors("lictor.pools.rank")
	data.lictor.pools.rank == vector.want with input as vector.input
}

_vectors(decision) := {name: vector |
	some name, vector in data.lictor.pools.contract.vectors
	vector.decision == decision
}
