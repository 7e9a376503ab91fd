// The drawing of a graph. It is loaded when it is shown: the first view does not have its code.
import Graph from "graphology";
import layout from "graphology-layout-forceatlas2";
import Sigma from "sigma";

export interface Dot {
  key: string;
  name: string;
  kind: string;
  salience: number;
}

export interface Line {
  key: string;
  from: string;
  to: string;
  type: string;
}

const lightColours = ["#2f6fb2", "#1f7a5c", "#a35c00", "#7b4fb0", "#a8326e", "#4d5b6a"];
const darkColours = ["#6ea8e6", "#62c3a0", "#e0a050", "#b893e6", "#e881b2", "#9fb0c3"];

/** Draws nodes and lines into an element, and returns a function that removes the drawing. It throws where there is no WebGL. */
export function draw(element: HTMLElement, start: string, dots: Dot[], lines: Line[], open: (dot: Dot) => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = dark ? darkColours : lightColours;
  const kinds = [...new Set(dots.map((d) => d.kind))];
  const graph = new Graph({ multi: true });
  dots.forEach((dot, i) => {
    // A place for each, the same each time; the layout begins there.
    const angle = i * 2.399963; // the golden angle spreads any number evenly
    const radius = Math.sqrt(i);
    graph.addNode(dot.key, {
      label: dot.name,
      x: dot.key === start ? 0 : radius * Math.cos(angle),
      y: dot.key === start ? 0 : radius * Math.sin(angle),
      size: 4 + 10 * dot.salience,
      color: colours[kinds.indexOf(dot.kind) % colours.length],
    });
  });
  for (const line of lines) {
    if (graph.hasNode(line.from) && graph.hasNode(line.to) && !graph.hasEdge(line.key)) {
      graph.addEdgeWithKey(line.key, line.from, line.to, { label: line.type, size: 1, color: dark ? "#4a535e" : "#b8c0c9" });
    }
  }
  layout.assign(graph, { iterations: 200, settings: layout.inferSettings(graph) });
  const sigma = new Sigma(graph, element, {
    labelColor: { color: dark ? "#e6e8eb" : "#1b1f24" },
    labelDensity: 0.7,
    labelFont: "system-ui, sans-serif",
    zIndex: true,
  });
  sigma.on("clickNode", ({ node }) => open(dots.find((d) => d.key === node)!));
  return () => sigma.kill();
}
