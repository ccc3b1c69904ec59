// The shape of api-schema.json, declared rather than inferred: half a megabyte of literal types would slow
// every compilation down.
declare const apiSchema: {
  source: string
  paths: Record<string, Record<string, Record<string, unknown>>>
}
export = apiSchema
