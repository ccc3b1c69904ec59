// The use case behind `felhom schema`: desired-state files as JSON Schema (draft 7, which editors support best),
// generated from the catalog. What it takes the reader takes too, but for grammars that a schema cannot say; what
// the reader takes it never refuses.
import {GUEST_KINDS, type GuestKind} from '../../model/guest.ts'
import {SECRET} from './describe-schema-option.ts'
import {describeDefinitions, describeOptions} from './describe-schema-options.ts'
import {textLike, type JsonSchema} from './describe-schema-value.ts'

export type {JsonSchema}

const ref = (name: string): JsonSchema => ({$ref: `#/definitions/${name}`})

export function describeSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'felhom desired state',
    description: 'What the guests of a Proxmox VE cluster shall be. What is not written is not managed.',
    type: 'object',
    required: ['felhom'],
    properties: {
      felhom: {description: 'The version of the format.', const: 1},
      defaults: describeDefaults(),
      guests: {
        description: 'The guests, by vmid.',
        type: ['object', 'null'],
        patternProperties: {'^[1-9][0-9]{2,8}$': ref('guest')},
        additionalProperties: false,
      },
    },
    additionalProperties: false,
    definitions: {
      guest: describeGuest(),
      secret: SECRET,
      ...LAYER_DEFINITIONS,
      ...(Object.assign({}, ...GUEST_KINDS.map(describeKind)) as Record<string, JsonSchema>),
    },
  }
}

const describeKind = (kind: GuestKind): Record<string, JsonSchema> => ({
  [`${kind}-config`]: describeOptions(kind, 'config'),
  [`${kind}-disks`]: describeOptions(kind, 'disks'),
  [`${kind}-create`]: describeCreate(kind),
  ...describeDefinitions(kind),
})

const LAYER_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  run: {
    description: 'Shall the guest run? Not written: its run state is not managed.',
    enum: ['running', 'stopped', null],
  },
  restart: {
    description: 'May felhom restart the guest for a change that needs it?',
    enum: ['never', 'allowed', null],
    default: 'never',
  },
  stop: {
    description: 'How the guest is shut down.',
    type: ['object', 'null'],
    properties: {
      timeout: {
        description: 'How long to wait for a graceful shutdown: from 1s to 24h.',
        type: ['string', 'null'],
        ...textLike(
          String.raw`^\d[\d.\s]*[A-Za-z][\dA-Za-z.\s]*$`,
          'A duration with its unit is expected, such as 60s or 5m.',
        ),
        default: '60s',
      },
      force: {
        description: 'Stop it hard when the time is over?',
        type: ['boolean', 'null'],
        default: false,
      },
    },
    additionalProperties: false,
  },
}

const LAYER: JsonSchema = {run: ref('run'), restart: ref('restart'), stop: ref('stop')}

function describeDefaults(): JsonSchema {
  const layers = GUEST_KINDS.map((kind) => [
    kind,
    {
      description: `What holds for every guest of ${kind} that does not say otherwise.`,
      type: ['object', 'null'],
      properties: {config: ref(`${kind}-config`), disks: ref(`${kind}-disks`), ...LAYER},
      additionalProperties: false,
    },
  ])
  return {
    description: 'What holds for all guests of a kind.',
    type: ['object', 'null'],
    properties: Object.fromEntries(layers) as JsonSchema,
    additionalProperties: false,
  }
}

const NODE: JsonSchema = {type: 'string', pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$'}

function describeGuest(): JsonSchema {
  return {
    type: 'object',
    required: ['kind'],
    properties: {
      kind: {description: 'A container (lxc) or a virtual machine (qemu).', enum: GUEST_KINDS},
      node: {
        description: 'Where it may be: a node, a list of nodes, or any. Not written: wherever it is.',
        ...NODE,
        type: ['string', 'array'],
        items: NODE,
        minItems: 1,
      },
      ensure: {
        description: 'absent: the guest is destroyed, which needs a signature.',
        enum: ['present', 'absent'],
        default: 'present',
      },
      ...LAYER,
    },
    // What stands in these three depends on the kind; as properties here they would be proposed twice.
    patternProperties: {'^(?:config|disks|create)$': true},
    additionalProperties: false,
    allOf: [...GUEST_KINDS.map(describeByKind), ABSENT],
  }
}

const describeByKind = (kind: GuestKind): JsonSchema => ({
  if: {properties: {kind: {const: kind}}, required: ['kind']},
  then: {
    properties: {
      config: ref(`${kind}-config`),
      disks: ref(`${kind}-disks`),
      create: ref(`${kind}-create`),
    },
  },
})

const ABSENT: JsonSchema = {
  if: {properties: {ensure: {const: 'absent'}}, required: ['ensure']},
  then: {properties: {config: false, disks: false, create: false, run: false, restart: false}},
}

const VOLUME: JsonSchema = {
  type: 'string',
  ...textLike(
    String.raw`^[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]:\S+$`,
    'A volume is expected, such as local:vztmpl/debian-13.tar.zst.',
  ),
}

function describeCreate(kind: GuestKind): JsonSchema {
  return {
    description: 'How the guest is made; read only when it does not exist.',
    type: 'object',
    properties: {
      ...(kind === 'lxc' && {template: {description: 'The template to unpack.', ...VOLUME}}),
      clone: {
        description: 'The vmid of the guest to copy.',
        type: 'integer',
        minimum: 100,
        maximum: 999_999_999,
      },
      full: {description: 'A full copy instead of a linked one.', type: 'boolean'},
      restore: {description: 'The backup to restore.', ...VOLUME},
      storage: {
        description: 'Where its volumes are made.',
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]$',
      },
      pool: {description: 'The pool it becomes a member of.', type: 'string'},
      ...(kind === 'lxc' && CONTAINER_ONLY),
    },
    additionalProperties: false,
    dependencies: {full: ['clone']},
    ...originRule(kind),
  }
}

const CONTAINER_ONLY: JsonSchema = {
  password: ref('secret'),
  sshkeys: {
    description: 'Public keys: text, a list, or {fromFile: PATH}.',
    type: ['string', 'array', 'object'],
    items: {type: 'string'},
    properties: {fromFile: {type: 'string', minLength: 1}, fromEnv: {type: 'string', minLength: 1}},
    additionalProperties: false,
  },
  unprivileged: {description: 'Its root is nobody on the host: the safe choice.', type: 'boolean'},
}

/** A container comes from exactly one origin, a machine from one at most. */
function originRule(kind: GuestKind): JsonSchema {
  const origins = kind === 'lxc' ? ['template', 'clone', 'restore'] : ['clone', 'restore']
  const one = origins.map((origin) => ({required: [origin]}))
  return kind === 'lxc' ? {oneOf: one} : {not: {required: origins}}
}
