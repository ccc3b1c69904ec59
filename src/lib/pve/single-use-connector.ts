// Wraps a connector so that it opens one socket and no second one. A client that lost its connection would
// otherwise reconnect on its own and might send again what it had already sent.
import {FelhomError} from '../model/felhom-error.ts'
import type {Connector} from './tls-trust.ts'

export interface SingleUseConnector {
  readonly connect: Connector
  /** Whether the socket was handed over, that is, whether anything can have been written. */
  handedOver(): boolean
}

export function singleUse(connector: Connector): SingleUseConnector {
  let used = false
  let handedOver = false
  return {
    connect: (options, callback) => {
      if (used) {
        callback(
          new FelhomError('connection_lost', 'the connection broke; a request is not sent twice'),
          null,
        )
        return
      }
      used = true
      connector(options, (error, socket) => {
        if (error) {
          callback(error, null)
          return
        }
        handedOver = true
        callback(null, socket)
      })
    },
    handedOver: () => handedOver,
  }
}
