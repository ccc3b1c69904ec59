// One sentence for each code of a mistake in desired-state files: the rules, as reports for machines list them.

const RULES: Readonly<Record<string, string>> = {
  absent_with: 'A guest that shall be absent has no configuration.',
  alias: 'A desired-state file has no YAML aliases.',
  anchor: 'A desired-state file has no YAML anchors.',
  bad_utf8: 'A desired-state file is UTF-8 text.',
  control_character: 'A desired-state file holds printable text.',
  create_only: "What matters only at creation stands under 'create'.",
  default_twice: 'A default is said in one place, since it holds for the guests of all files.',
  directory_loop: 'A directory does not contain itself.',
  duplicate_key: 'A key stands once in its map.',
  forbidden_key: 'Names that mean something to JavaScript objects are no keys.',
  guest_twice: 'A guest is defined in one place.',
  key_type: 'A key is a plain word or number.',
  misplaced: 'Every key stands where it belongs.',
  no_files: 'A directory of desired state holds .yaml or .yml files.',
  no_kind: 'A guest says whether it is lxc or qemu.',
  no_origin: "'create' says what the guest is made from.",
  no_value: 'A key has a value; null is written out.',
  not_a_map: 'Sections are maps.',
  other_kind: 'An option belongs to the kind of its guest.',
  read_only: 'Only what felhom can write is desired.',
  same_option: 'An option is written under one of its names.',
  secret_elsewhere: 'A desired state from elsewhere takes secrets from one directory only.',
  secret_in_text: 'A secret is written as the place where it is kept.',
  settings_in_desired: 'Settings stand in felhom.yaml, guests in files of their own.',
  several_documents: 'A file holds one YAML document.',
  several_origins: 'A guest is made from one origin.',
  too_deep: 'A file is not nested deeply.',
  too_large: 'Files are of a size that can be read in reasonable time.',
  too_many_files: 'A desired state has a reasonable number of files.',
  unknown_key: 'Every key is known.',
  unreadable: 'Every file that is named can be read.',
  version: "A file begins with 'felhom: 1'.",
  vmid: 'A guest is named by its number, from 100 to 999999999.',
  wrong_value: 'A value is one that Proxmox takes.',
  yaml_syntax: 'A file is YAML.',
  yaml_version: 'A file is YAML 1.2.',
}

export const ruleCodes: readonly string[] = Object.keys(RULES)

export const ruleText = (code: string): string => RULES[code] ?? code
