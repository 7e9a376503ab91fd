/** Input of remember: a part of what Kith's own tool takes. */
export interface Remembered {
  nodes?: {
    kind: "person" | "concept" | "entity";
    name: string;
    type?: string;
    description?: string;
    is_owner?: boolean;
    is_goal?: boolean;
  }[];
  relationships?: { from: string; to: string; type: string; description?: string; contradicts?: boolean }[];
}

export interface Looked {
  query: string;
}

export interface Forgotten {
  names: string[];
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

export const rememberSchema = {
  type: "object",
  properties: {
    nodes: {
      type: "array",
      items: {
        type: "object",
        properties: {
          kind: { enum: ["person", "concept", "entity"], description: "concept: ideas, interests, goals; entity: organisations, places, things" },
          name: text,
          type: { type: "string", description: "of an entity" },
          description: { type: "string", description: "a sentence that stays true" },
          is_owner: { type: "boolean", description: "this person is the user" },
          is_goal: flag,
        },
        required: ["kind", "name"],
      },
    },
    relationships: {
      type: "array",
      items: {
        type: "object",
        properties: {
          from: { type: "string", description: "name" },
          to: text,
          type: {
            type: "string",
            description: "has_relationship_with (persons), engages_with (person to concept), associated_with (person to entity), relates_to, involves, connected_to",
          },
          description: { type: "string", description: "how they relate, in a sentence" },
          contradicts: { type: "boolean", description: "replaces the stored one" },
        },
        required: ["from", "to", "type"],
      },
    },
  },
} as const;

export const exploreSchema = {
  type: "object",
  properties: { query: { type: "string", description: "a question or name, in the user's words" } },
  required: ["query"],
} as const;

export const forgetSchema = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" }, description: "names or entity keys of nodes" } },
  required: ["names"],
} as const;
