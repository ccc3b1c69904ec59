// What a signature is for, as it stands in the signature itself: one made for anything else, a git commit or a file,
// is worth nothing here, and one over a trust file allows no operation.

export const OPERATION_NAMESPACE = 'felhom-op-v1@felhom'
export const TRUST_NAMESPACE = 'felhom-trust-v1@felhom'
