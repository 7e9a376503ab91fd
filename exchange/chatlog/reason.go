package chatlog

import "slices"

// Reason says why something of a file is not taken as it is.
type Reason string

// The reasons, in the order of a report.
const (
	Images         Reason = "images"
	Audio          Reason = "audio and video"
	Files          Reason = "files and attachments"
	ToolCalls      Reason = "tool calls"
	ToolResults    Reason = "tool results"
	Thoughts       Reason = "thoughts"
	Instructions   Reason = "instructions and profiles for all conversations"
	UnknownContent Reason = "content of an unknown type"
	OtherBranches  Reason = "messages of other branches"
	Hidden         Reason = "messages that the user did not see"
	SystemMessages Reason = "messages of the system"
	ToolMessages   Reason = "messages of tools"
	NoText         Reason = "messages without text"
	OtherLines     Reason = "lines without a message"
	NoMessages     Reason = "conversations without messages"
	Repeated       Reason = "conversations that are in the file twice"
	NoBeginning    Reason = "conversations whose first messages are missing in the file"
	Cut            Reason = "texts cut to 65,536 characters"
	CutTitle       Reason = "titles cut to 512 characters, and summaries to 16,384"
	NoTime         Reason = "messages without a time: stored with that of the message before"
	Undated        Reason = "messages without a time: stored with that of the import"
	Before1970     Reason = "messages from before 1970: stored with that time"
	WrongTime      Reason = "times that are not of RFC 3339, or before 1970: ignored"
	OtherFiles     Reason = "other files in the zip"
	OtherAnswers   Reason = "answers beyond the first"
)

var reasons = []Reason{
	Images, Audio, Files, ToolCalls, ToolResults, Thoughts, Instructions, UnknownContent, OtherBranches, Hidden, SystemMessages, ToolMessages,
	NoText, OtherLines, NoMessages, Repeated, NoBeginning, Cut, CutTitle, NoTime, Undated, Before1970, WrongTime, OtherFiles, OtherAnswers,
}

// Changed reports whether something is taken, but not as it is in the file.
func (r Reason) Changed() bool {
	return slices.Contains([]Reason{NoBeginning, Cut, CutTitle, NoTime, Undated, Before1970, WrongTime}, r)
}

// NotTaken counts what is not taken, or not as it is, for a reason.
type NotTaken struct {
	Reason        Reason `json:"reason"`
	Count         int64  `json:"count"`
	Conversations int64  `json:"conversations"` // with it
}

// Tally sums up what is not taken.
type Tally map[Reason]*NotTaken

// Add adds what is not taken of a number of conversations: one, or none if it is beside them.
func (t Tally) Add(counts map[Reason]int64, conversations int64) {
	for reason, n := range counts {
		if t[reason] == nil {
			t[reason] = &NotTaken{Reason: reason}
		}
		t[reason].Count += n
		t[reason].Conversations += conversations
	}
}

// List returns the counts of what is not taken, or of what is changed, in the order of the reasons.
func (t Tally) List(changed bool) []NotTaken {
	list := []NotTaken{}
	for _, reason := range reasons {
		if n := t[reason]; n != nil && n.Count > 0 && reason.Changed() == changed {
			list = append(list, *n)
		}
	}
	return list
}
