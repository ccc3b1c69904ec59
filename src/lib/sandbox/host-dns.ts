// The resolver that every node of the sandbox uses, and hands on to guests that name none of their own.
export const HOST_DNS = {dns1: '10.255.255.53'} as const
