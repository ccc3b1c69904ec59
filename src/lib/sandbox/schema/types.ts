// The vocabulary of Proxmox's own JSON schema dialect. Flags are 0 or 1, as Perl writes them.

export type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null' | 'any'

/** The keys of a property string: `name=eth0,bridge=vmbr0`. */
export type ObjectFormat = Record<string, Schema>

export interface Schema {
  type?: SchemaType
  optional?: number
  format?: string | ObjectFormat
  pattern?: string
  minimum?: number | string
  maximum?: number | string
  minLength?: number
  maxLength?: number
  enum?: (string | number)[]
  default?: unknown
  /** Another parameter that must be given with this one. */
  requires?: string
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: number | Schema
  oneOf?: Schema[]
  'type-property'?: string
  'instance-types'?: string[]
  /** In a property string: the key whose name may be left out. */
  default_key?: number
  /** In a property string: the key that this one stands for. */
  alias?: string
  /** With `alias`: the key that remembers which alias was used. */
  keyAlias?: string
}

export interface Permissions {
  check?: unknown[]
  user?: string
}

export interface MethodSchema {
  name: string
  parameters: Schema
  returns?: unknown
  permissions?: Permissions
  protected?: number
  proxyto?: string
}
