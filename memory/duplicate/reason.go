package duplicate

// codes are the reasons of the features.
var codes = map[string]string{
	"given_same": "same_name", "family_same": "same_name", "name_same": "same_name", "name_head": "same_name",
	"given_nickname": "nickname", "given_initial": "initials", "acronym": "initials",
	"given_sound": "sounds_alike", "family_sound": "sounds_alike", "name_sound": "sounds_alike",
	"given_spelling": "spelling", "family_spelling": "spelling", "name_spelling": "spelling", "name_mistake": "spelling",
	"swapped": "swapped_names", "given_missing": "part_of_name", "family_missing": "part_of_name", "alone": "part_of_name",
	"name_part": "part_of_name", "name_overlap": "part_of_name",
	"given_other": "other_name", "family_other": "other_name", "middle_other": "other_name", "number_in_name": "other_name", "name_begins_otherwise": "other_name",
	"email_same": "same_email", "email_near": "similar_email", "email_other": "other_email",
	"date_same": "same_date", "date_near": "similar_date", "date_other": "other_date",
	"number_same": "same_number", "number_near": "similar_number", "number_other": "other_number",
	"small_same": "same_detail", "small_near": "same_detail", "text_same": "same_detail", "text_near": "same_detail",
	"small_other": "other_detail", "text_other": "other_detail",
	"type_same": "same_type", "type_other": "other_type", "neighbours": "shared_neighbours",
}

// reasonWords are the reasons in words.
var reasonWords = map[string]string{
	"same_name":         "the names are the same, or parts of them",
	"nickname":          "one has a nickname of the other",
	"initials":          "one has the initials of the other",
	"sounds_alike":      "the names sound alike",
	"spelling":          "the names differ in their spelling",
	"swapped_names":     "given and family name are swapped",
	"part_of_name":      "one has only a part of the other's name",
	"other_name":        "parts of the names differ",
	"same_email":        "an e-mail address is the same",
	"similar_email":     "an e-mail address is made of the same name",
	"other_email":       "the e-mail addresses differ",
	"same_date":         "a date is the same",
	"similar_date":      "a date differs in one place",
	"other_date":        "a date differs",
	"same_number":       "a long number is the same",
	"similar_number":    "a long number differs in one place",
	"other_number":      "a long number differs",
	"same_detail":       "other properties are the same or similar",
	"other_detail":      "other properties differ",
	"same_type":         "the types are the same",
	"other_type":        "the types differ",
	"shared_neighbours": "both are linked with the same nodes",
	"model_same":        "a language model takes them for one",
	"model_other":       "a language model takes them for two",
}
