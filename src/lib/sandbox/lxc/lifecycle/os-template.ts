// What unpacking a template would find: the distribution and the architecture, read off the template's name.

const DISTRIBUTIONS = new Map(
  [
    'alpine',
    'archlinux',
    'centos',
    'debian',
    'devuan',
    'fedora',
    'gentoo',
    'nixos',
    'openeuler',
    'opensuse',
    'ubuntu',
  ].map((name) => [name, name]),
)
for (const name of ['almalinux', 'rockylinux', 'rocky', 'rhel']) DISTRIBUTIONS.set(name, 'centos')
const ARCHITECTURES = new Set(['amd64', 'i386', 'arm64', 'armhf', 'riscv32', 'riscv64'])

/** `local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst` → debian. */
export function detectOsType(archive: string): string {
  const name = /([a-z]+)[^/]*$/i.exec(archive.replace(/^.*\//, ''))?.[1]?.toLowerCase() ?? ''
  return DISTRIBUTIONS.get(name) ?? 'unmanaged'
}

export function detectArch(archive: string): string {
  const arch = /_([a-z0-9]+)\.tar(?:\.[a-z0-9]+)?$/.exec(archive)?.[1] ?? ''
  return ARCHITECTURES.has(arch) ? arch : 'amd64'
}
