// The one hook that felhom runs: it says what this plugin brings.
import {guardProd} from './guard-prod.js'

/** @param {import('felhom/plugin').RegisterOptions} options */
export default function register({register: bring}) {
  bring({name: 'felhom-plugin-prod-stop', apiVersion: 1, rules: {'prod-stop': guardProd}})
}
