package bench

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// chart is a picture of curves over the number of nodes.
type chart struct {
	title  string
	curves []curve
}

type curve struct {
	name string
	x, y []float64
}

func (c *curve) add(x, y float64) { c.x, c.y = append(c.x, x), append(c.y, y) }

// draw writes what is measured so far as a picture.
func (r *scaleRun) draw(b *testing.B) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "scale.svg"), []byte(svg(r.charts())), 0o600); err != nil {
		b.Fatal(err)
	}
}

func (r *scaleRun) charts() []chart {
	slices.SortFunc(r.points, func(a, b scalePoint) int { return a.Nodes - b.Nodes })
	times := func(p int, names ...string) (all []curve) {
		for _, name := range names {
			c := curve{name: name}
			for _, point := range r.points {
				if t, ok := point.Times[name]; ok {
					c.add(float64(point.Nodes), t[p])
				}
			}
			all = append(all, c)
		}
		return all
	}
	of := func(what string) []string {
		return []string{what + " " + aloneUser, what + " " + sameUser, what + " " + anyUser}
	}
	hub := []string{"context " + hubUserNamed, "neighbors " + hubUserNamed, "explore " + hubUserNamed}
	var rates, costs, memory []curve
	for _, kind := range []string{userPiece, hubPiece} {
		rate, cost := curve{name: "pieces of kind " + kind}, curve{name: "pieces of kind " + kind}
		for _, p := range r.pieces {
			if p.Kind == kind && p.Rate > 0 {
				at := float64((p.Number + 1) * pieceNodes)
				rate.add(at, p.Rate)
				cost.add(at, p.CPU*1e6/(pieceNodes+pieceLinks))
			}
		}
		rates, costs = append(rates, rate), append(costs, cost)
	}
	kith, peak, disk := curve{name: "resident"}, curve{name: "peak"}, curve{name: "data folder"}
	for _, p := range r.pieces {
		at := float64((p.Number + 1) * pieceNodes)
		kith.add(at, p.KithMB)
		peak.add(at, p.PeakMB)
		disk.add(at, p.DiskMB/1024)
	}
	memory = append(memory, kith, peak)
	return []chart{
		{"cold context, p50, ms", times(0, of("context")...)}, {"explore, p50, ms", times(0, of("explore")...)}, {"the user with the hub, p50, ms", times(0, hub...)},
		{"cold context, p99, ms", times(1, of("context")...)}, {"explore, p99, ms", times(1, of("explore")...)}, {"import, items a second", rates},
		{"import, processor time of an item, µs", costs}, {"memory of Kith, MB", memory}, {"disk, GB", []curve{disk}},
	}
}

const (
	chartWidth, chartHeight = 460, 270
	plotLeft, plotTop       = 52, 34
	plotWidth, plotHeight   = 380, 160
	chartColumns            = 3
)

var curveColors = []string{"#8a8f98", "#1f6feb", "#d1570b"} //nolint:gochecknoglobals // a constant table

// svg draws charts in columns.
func svg(charts []chart) string {
	var out strings.Builder
	rows := (len(charts) + chartColumns - 1) / chartColumns
	_, _ = fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="#333">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n", chartColumns*chartWidth, rows*chartHeight)
	for i, c := range charts {
		_, _ = fmt.Fprintf(&out, `<g transform="translate(%d %d)">`+"\n", i%chartColumns*chartWidth, i/chartColumns*chartHeight)
		c.draw(&out)
		out.WriteString("</g>\n")
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// draw draws the chart: nodes on a logarithmic axis, and values from 0.
func (c chart) draw(out *strings.Builder) {
	low, high, top := math.Inf(1), 1.0, 0.0
	for _, curve := range c.curves {
		for i := range curve.x {
			low, high, top = min(low, curve.x[i]), max(high, curve.x[i]), max(top, curve.y[i])
		}
	}
	low, top = min(low, high/10), topOfAxis(top)
	x := func(v float64) float64 { return plotLeft + plotWidth*math.Log(v/low)/math.Log(high/low) }
	y := func(v float64) float64 { return plotTop + plotHeight*(1-v/top) }
	_, _ = fmt.Fprintf(out, `<text x="%d" y="20" font-size="13" font-weight="bold">%s</text>`+"\n", plotLeft, html.EscapeString(c.title))
	for i := range 5 {
		v := top * float64(i) / 4
		_, _ = fmt.Fprintf(out, `<path d="M%d %.1fh%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.5g</text>`+"\n", plotLeft, y(v), plotWidth, plotLeft-5, y(v)+4, v)
	}
	for v := math.Pow(10, math.Ceil(math.Log10(low))); v <= high; v *= 10 {
		_, _ = fmt.Fprintf(out, `<path d="M%.1f %dv%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x(v), plotTop, plotHeight, x(v), plotTop+plotHeight+15, thousands(v))
	}
	for i, curve := range c.curves {
		color, at := curveColors[i%len(curveColors)], plotTop+plotHeight+32+14*i
		for n := range curve.x {
			_, _ = fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="2" fill="%s"/>`, x(curve.x[n]), y(curve.y[n]), color)
		}
		points := make([]string, len(curve.x))
		for n := range curve.x {
			points[n] = fmt.Sprintf("%.1f,%.1f", x(curve.x[n]), y(curve.y[n]))
		}
		_, _ = fmt.Fprintf(out, "\n"+`<polyline points="%s" fill="none" stroke="%s"/><path d="M%d %dh16" stroke="%s" stroke-width="3"/><text x="%d" y="%d">%s</text>`+"\n",
			strings.Join(points, " "), color, plotLeft, at-4, color, plotLeft+22, at, html.EscapeString(curve.name))
	}
}

// topOfAxis returns the least of 1, 2, 4 and 8 times a power of ten that is no less than a value.
func topOfAxis(v float64) float64 {
	if v <= 0 {
		return 1
	}
	for _, times := range []float64{1, 2, 4, 8} {
		if top := times * math.Pow(10, math.Floor(math.Log10(v))); top >= v {
			return top
		}
	}
	return math.Pow(10, math.Ceil(math.Log10(v)))
}

// thousands returns a power of ten with commas.
func thousands(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
