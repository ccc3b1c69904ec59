// The three functions of the Reflect metadata proposal that the container inside @peculiar/x509 asks for
// when it loads. Nothing of ours is decorated, so a map per target is the whole of it.

interface ReflectMetadata {
  defineMetadata?: (key: unknown, value: unknown, target: object) => void
  getOwnMetadata?: (key: unknown, target: object) => unknown
  getMetadata?: (key: unknown, target: object) => unknown
}

/** Leaves a fuller implementation alone where one is there already. */
export function provideReflectMetadata(): void {
  const reflect = Reflect as ReflectMetadata
  if (reflect.getMetadata) return
  const metadata = new WeakMap<object, Map<unknown, unknown>>()
  const getOwn = (key: unknown, target: object): unknown => metadata.get(target)?.get(key)
  reflect.getOwnMetadata = getOwn
  reflect.getMetadata = getOwn
  reflect.defineMetadata = (key, value, target) => {
    metadata.set(target, (metadata.get(target) ?? new Map<unknown, unknown>()).set(key, value))
  }
}
