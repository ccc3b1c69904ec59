import {describeOptionFacts, describeOptionPrivileges} from '../../../support/option-facts.ts'

describe('every recorded fact about an option of a container', () => {
  describeOptionFacts('lxc')
  describeOptionPrivileges('lxc')
})
