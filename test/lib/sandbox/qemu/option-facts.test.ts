import {
  describeOptionFacts,
  describeOptionPrivileges,
  type FactException,
} from '../../../support/option-facts.ts'

const exceptions: FactException[] = [
  {
    option: 'hookscript',
    reason:
      'a snippet was put on the recorded node for this value; the seed has none, so it is refused earlier',
  },
]

const privilegeExceptions: FactException[] = [
  {option: 'efidisk0', reason: 'the recorded node lacked the firmware images at that time'},
  {option: 'ide2', value: 'local:cloudinit', reason: 'the recorded node lacked genisoimage at that time'},
]

describe('every recorded fact about an option of a machine', () => {
  describeOptionFacts('qemu', exceptions)
  describeOptionPrivileges('qemu', privilegeExceptions)
})
