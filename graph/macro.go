package graph

import (
	"slices"
	"time"

	"kith/graph/neo"
)

var (
	setThemes             = neo.Load[[]string]("storyline_themes")
	findRelatedStorylines = neo.Load[relatedStoryline]("storyline_related")
	findMacros            = neo.Load[lockedMacro]("macro_storylines")
)

// lockedMacro is a macro with the storylines that it groups.
type lockedMacro struct {
	Properties Properties
	Grouped    []groupedStoryline
	AnchorName string
}

// groupedStoryline is a storyline of a macro, in the order of macro_storylines.
type groupedStoryline struct {
	EntityKey                   string
	SourceCount                 int64
	FirstSourceAt, LastSourceAt time.Time
}

// relatedStoryline is a storyline with those of the given themes that it has.
type relatedStoryline struct {
	EntityKey                   string
	Themes                      []string
	SourceCount                 int64
	FirstSourceAt, LastSourceAt time.Time
}

const macroText = "Storylines around"

// group creates and updates the macros of the storylines that this job touched. The anchor of a macro is a theme of
// at least two of the user's storylines that together span 30 days. A theme is a node that at least half of a
// storyline's newest sources mention.
func (j *storyJob) group() error {
	themes, err := j.themes()
	if err != nil || len(themes) == 0 {
		return err
	}
	parts, err := j.related(themes)
	if err != nil {
		return err
	}
	for theme, storylines := range parts {
		if !storylines.ripe() {
			delete(parts, theme)
		}
	}
	macros, err := j.macrosOf(parts)
	if err != nil {
		return err
	}
	return j.regroup(macros, parts)
}

// themes stores on each touched storyline its themes besides the anchor, and returns all of them.
func (j *storyJob) themes() ([]string, error) {
	rows, err := setThemes.Exec(j.tx, map[string]any{
		"team_id": j.team, "entity_keys": Distinct(j.touched), "window": storyWindow, "now": j.now,
	})
	var all []string
	for _, themes := range rows {
		all = append(all, themes...)
	}
	return Distinct(all), err
}

// storylines holds the storylines that a macro groups or may group, by key.
type storylines map[string]storylinePart

type storylinePart struct {
	sources     int64
	first, last time.Time
}

func (s storylines) period() (first, last time.Time) {
	for _, p := range s {
		if first.IsZero() {
			first, last = p.first, p.last
		}
		first, last = earlier(first, p.first), later(last, p.last)
	}
	return first, last
}

// ripe reports whether the storylines are enough for a macro.
func (s storylines) ripe() bool {
	first, last := s.period()
	return len(s) >= macroStories && last.Sub(first) >= macroSpan
}

// related returns the user's storylines with each of the themes, by theme.
func (j *storyJob) related(themes []string) (map[string]storylines, error) {
	prefix := ListPrefix(StorylineKind, j.user)
	rows, err := findRelatedStorylines.Exec(j.tx, map[string]any{
		"team_id": j.team, "after": prefix, "end": PrefixEnd(prefix), "themes": themes,
	})
	all := map[string]storylines{}
	for _, row := range rows {
		part := storylinePart{row.SourceCount, row.FirstSourceAt, row.LastSourceAt}
		for _, theme := range row.Themes {
			if all[theme] == nil {
				all[theme] = storylines{}
			}
			all[theme][row.EntityKey] = part
		}
	}
	return all, err
}

// macrosOf finds the macros whose anchors are themes and creates the missing ones. It returns them by key.
func (j *storyJob) macrosOf(parts map[string]storylines) (map[string]*stored, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var l lookups
	for theme := range parts {
		l.entityKeys = append(l.entityKeys, theme)
		l.naturalKeys = append(l.naturalKeys, ListPrefix(macroKind, j.user)+theme)
	}
	found, err := j.tx.find(j.team, l)
	if err != nil {
		return nil, err
	}
	macros := map[string]*stored{}
	for _, theme := range l.entityKeys {
		macro := found.byNatural[ListPrefix(macroKind, j.user)+theme]
		if anchor := found.byKey[theme]; macro == nil && anchor != nil {
			if macro, err = j.newMacro(anchor); err != nil {
				return nil, err
			}
		}
		if macro != nil {
			macros[macro.key()] = macro
		}
	}
	return macros, nil
}

// newMacro creates a macro without storylines. Macros are kept for ever.
func (j *storyJob) newMacro(anchor *stored) (*stored, error) {
	n := j.storyNode(macroKind, anchor, vitality{salience: 1, state: "core", ttl: "keep_forever"})
	j.macros++
	if err := j.create(n); err != nil {
		return nil, err
	}
	return n, j.link(n.key(), rootedInType, anchor.key())
}

// regroup adds missing storylines to the macros, and updates the counts and names of these macros and of all others
// that group a touched storyline.
func (j *storyJob) regroup(macros map[string]*stored, parts map[string]storylines) error {
	keys := make([]string, 0, len(macros))
	for key := range macros {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	rows, err := findMacros.Exec(j.tx, map[string]any{
		"team_id": j.team, "entity_keys": keys, "storylines": Distinct(j.touched),
	})
	if err != nil {
		return err
	}
	for i := range rows {
		if err := j.regroupOne(&rows[i], parts); err != nil {
			return err
		}
	}
	return nil
}

func (j *storyJob) regroupOne(row *lockedMacro, parts map[string]storylines) error {
	macro := &stored{kind: macroKind, Properties: row.Properties}
	grouped := storylines{}
	for _, s := range row.Grouped {
		grouped[s.EntityKey] = storylinePart{s.SourceCount, s.FirstSourceAt, s.LastSourceAt}
	}
	var missing []string
	for key, part := range parts[macro.Text("anchor_key")] {
		if _, ok := grouped[key]; !ok {
			missing, grouped[key] = append(missing, key), part
		}
	}
	if err := j.link(macro.key(), groupsType, Distinct(missing)...); err != nil {
		return err
	}
	return j.change(macro, macro.withStorylines(grouped, row.AnchorName))
}

// withStorylines returns the properties of a macro with these storylines and the current name of its anchor.
func (s *stored) withStorylines(grouped storylines, name string) Properties {
	next := s.clone()
	next.putUnless(name == "", "name", name)
	next.putSearchName()
	var sources int64
	for _, part := range grouped {
		sources += part.sources
	}
	next["storyline_count"], next["source_count"] = int64(len(grouped)), sources
	first, last := grouped.period()
	next.period(macroText, first, last)
	return next
}
