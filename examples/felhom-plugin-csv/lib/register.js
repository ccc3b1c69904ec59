// The one hook that felhom runs: it says what this plugin brings. The API comes with the options; nothing of felhom is
// imported, since an installed plugin could not find it.
import {provideGuests} from './provide-guests.js'

/** @param {import('felhom/plugin').RegisterOptions} options */
export default function register({register: bring}) {
  bring({name: 'felhom-plugin-csv', apiVersion: 1, providers: {csv: provideGuests}})
}
