// The screens, in the order of the navigation.
import type { FunctionComponent } from "preact";
import { Care } from "./screens/care";
import { Chats } from "./screens/chats";
import { Context } from "./screens/context";
import { Cypher } from "./screens/cypher";
import { Explore } from "./screens/explore";
import { Graph } from "./screens/graph";
import { Node } from "./screens/node";
import { Team } from "./screens/team";
import { Timeline } from "./screens/timeline";
import { Users } from "./screens/users";
import { Workspace } from "./screens/workspace";

export interface Screen {
  path: string; // below /ui/
  name: string;
  screen: FunctionComponent;
  ofUser: boolean; // shows the memory of one user
  listed: boolean; // is in the navigation
}

export const screens: Screen[] = [
  { path: "", name: "Users", screen: Users, ofUser: false, listed: false },
  { path: "context", name: "Context", screen: Context, ofUser: true, listed: true },
  { path: "explore", name: "Explore", screen: Explore, ofUser: true, listed: true },
  { path: "node", name: "Node", screen: Node, ofUser: true, listed: false },
  { path: "graph", name: "Graph", screen: Graph, ofUser: true, listed: true },
  { path: "timeline", name: "Timeline", screen: Timeline, ofUser: true, listed: true },
  { path: "workspace", name: "Workspace", screen: Workspace, ofUser: true, listed: true },
  { path: "chats", name: "Chats", screen: Chats, ofUser: true, listed: true },
  { path: "care", name: "Care", screen: Care, ofUser: true, listed: true },
  { path: "cypher", name: "Cypher", screen: Cypher, ofUser: true, listed: true },
  { path: "team", name: "Team", screen: Team, ofUser: false, listed: true },
];
