// The CPU types and flags that a virtual machine may ask for.

const VERSIONED: Record<string, string> = {
  Broadwell: 'IBRS noTSX noTSX-IBRS',
  'Cascadelake-Server': 'v2 noTSX v4 v5',
  Cooperlake: 'v2',
  EPYC: 'IBPB v3 v4 v5',
  'EPYC-Genoa': 'v2',
  'EPYC-Milan': 'v2 v3',
  'EPYC-Rome': 'v2 v3 v4 v5',
  GraniteRapids: 'v2 v3',
  Haswell: 'IBRS noTSX noTSX-IBRS',
  'Icelake-Client': 'noTSX',
  'Icelake-Server': 'noTSX v3 v4 v5 v6 v7',
  IvyBridge: 'IBRS',
  Nehalem: 'IBRS',
  SandyBridge: 'IBRS',
  SapphireRapids: 'v2 v3 v4',
  SierraForest: 'v2 v3',
  'Skylake-Client': 'IBRS noTSX-IBRS v4',
  'Skylake-Server': 'IBRS noTSX-IBRS v4 v5',
  Westmere: 'IBRS',
}

const PLAIN =
  '486 pentium pentium2 pentium3 coreduo core2duo Conroe Penryn KnightsMill ClearwaterForest athlon phenom ' +
  'Opteron_G1 Opteron_G2 Opteron_G3 Opteron_G4 Opteron_G5 EPYC-Turin kvm32 kvm64 qemu32 qemu64 max host ' +
  'a64fx cortex-a35 cortex-a53 cortex-a55 cortex-a57 cortex-a710 cortex-a72 cortex-a76 neoverse-n1 neoverse-n2 ' +
  'neoverse-v1'

/** What QEMU itself knows. */
export const reportedModels: readonly string[] = [
  ...PLAIN.split(' '),
  ...Object.entries(VERSIONED).flatMap(([model, suffixes]) => [
    model,
    ...suffixes.split(' ').map((suffix) => `${model}-${suffix}`),
  ]),
].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))

/** With the models that Proxmox defines on top. */
export const cpuTypes: ReadonlySet<string> = new Set([
  ...reportedModels,
  ...['x86-64-v2', 'x86-64-v2-AES', 'x86-64-v3', 'x86-64-v4'],
])

/** Flags that may be switched for one machine, by name. */
export const vmCpuFlags: readonly string[] =
  'aes amd-no-ssb amd-ssbd hv-evmcs hv-tlbflush ibpb md-clear nested-virt pcid pdpe1gb spec-ctrl ssbd virt-ssbd'.split(
    ' ',
  )
