package lictor.claims.contract_test

test_step_answers_its_vectors[name] if {
	some name, vector in _vectors("lictor.claims.step")
	data.lictor.claims.step == vector.want with input as vector.input
}

test_rank_answers_its_vectors[name] if {
	some name, vector in _vectors("lictor.claims.rank")
	answer := data.lictor.claims.rank with input as vector.input
	answer.bucket in {"fresh", "stale"}
}

_vectors(decision) := {name: vector |
	some name, vector in data.lictor.claims.contract.vectors
	vector.decision == decision
}
