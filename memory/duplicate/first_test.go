package duplicate

// firstPerson are the weights of persons before any data: those of what the published sets do not have stay so.
var firstPerson = weights{
	bias:         -6,
	"given_same": 2, "given_nickname": 1.5, "given_initial": 0.5, "given_sound": 1.2, "given_spelling": 1.2, "given_missing": 0, "given_other": -2.5,
	"family_same": 3, "family_sound": 2, "family_spelling": 2, "family_missing": 0, "family_other": -3,
	"middle_other": -2, "swapped": -0.5, "alone": 0,
	"email_same": 6, "email_near": 2, "email_other": -0.5,
	"date_same": 4, "date_near": 2, "date_other": -3, "number_same": 5, "number_near": 3, "number_other": -1.5,
	"small_same": 0.6, "small_near": 0.3, "small_other": -0.5, "text_same": 1, "text_near": 0.8, "text_other": -0.4,
	"type_same": 0.2, "type_other": -0.5, "neighbours": 2,
}

// firstThing are the weights of other kinds before any data.
var firstThing = weights{
	bias:        -3,
	"name_same": 5, "name_head": 3, "name_mistake": 1, "number_in_name": -3, "acronym": 2, "name_spelling": 3.5, "name_overlap": 2, "name_part": 0.5, "name_begins_otherwise": -1.5, "name_sound": 1.5,
	"email_same": 5, "email_near": 1, "email_other": -0.5,
	"date_same": 1, "date_near": 0.3, "date_other": -1, "number_same": 4, "number_near": 2, "number_other": -1.5,
	"small_same": 0.3, "small_near": 0, "small_other": -0.3, "text_same": 0.8, "text_near": 0.5, "text_other": -0.3,
	"type_same": 0.3, "type_other": -1.5, "neighbours": 1.5,
}
