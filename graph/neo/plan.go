package neo

import (
	"fmt"
	"reflect"
	"strings"
)

// Operator is one step of a plan with the steps below it.
type Operator struct {
	Name, Details string
	Rows          float64 // estimated
	Hits          int64
	Children      []Operator
}

// Each visits the plan from the top.
func (o Operator) Each(visit func(Operator)) {
	visit(o)
	for _, c := range o.Children {
		c.Each(visit)
	}
}

// PlanOf converts a neo4j.Plan or neo4j.ProfiledPlan by reflection: its Children method (v5.28.4) returns the last of several
// children as many times as there are children.
func PlanOf(plan any) Operator {
	var read func(v reflect.Value) Operator
	read = func(v reflect.Value) Operator {
		o := Operator{Name: strings.TrimSuffix(v.FieldByName("Operator").String(), "@neo4j")}
		if details := v.FieldByName("Arguments").MapIndex(reflect.ValueOf("Details")); details.IsValid() {
			o.Details = details.Elem().String()
		}
		if rows := v.FieldByName("Arguments").MapIndex(reflect.ValueOf("EstimatedRows")); rows.IsValid() && rows.Elem().Kind() == reflect.Float64 {
			o.Rows = rows.Elem().Float()
		}
		if hits := v.FieldByName("DbHits"); hits.IsValid() {
			o.Hits = hits.Int()
		}
		children := v.FieldByName("Children")
		for i := range children.Len() {
			o.Children = append(o.Children, read(children.Index(i)))
		}
		return o
	}
	return read(reflect.ValueOf(plan).Elem().Field(0).Elem())
}

// String returns the plan with one operator a line, and what each cost.
func (o Operator) String() string {
	var text strings.Builder
	var write func(o Operator, indent string)
	write = func(o Operator, indent string) {
		fmt.Fprintf(&text, "%s%s (%d) %.120s\n", indent, o.Name, o.Hits, strings.ReplaceAll(o.Details, "\n", " "))
		for _, c := range o.Children {
			write(c, indent+"  ")
		}
	}
	write(o, "")
	return text.String()
}
