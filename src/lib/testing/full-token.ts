// The token that may do everything, in the seeds that come with felhom.

export const FULL_TOKEN = 'root@pam!felhom=11111111-2222-3333-4444-555555555555'
