/** Works cited as the MLA Handbook (9th edition) asks, in CSL, for the kinds of source we keep. */
import { LINK, toStyle } from './style.ts';

const MONTHS = `<locale xml:lang="en">
    <terms>
      <term name="month-01" form="short">Jan.</term>
      <term name="month-02" form="short">Feb.</term>
      <term name="month-03" form="short">Mar.</term>
      <term name="month-04" form="short">Apr.</term>
      <term name="month-05" form="short">May</term>
      <term name="month-06" form="short">June</term>
      <term name="month-07" form="short">July</term>
      <term name="month-08" form="short">Aug.</term>
      <term name="month-09" form="short">Sept.</term>
      <term name="month-10" form="short">Oct.</term>
      <term name="month-11" form="short">Nov.</term>
      <term name="month-12" form="short">Dec.</term>
    </terms>
  </locale>`;

const PEOPLE = `<macro name="people">
    <names variable="author">
      <name name-as-sort-order="first" and="text" sort-separator=", " delimiter=", " initialize="false"
          delimiter-precedes-last="always" delimiter-precedes-et-al="always"/>
    </names>
  </macro>`;

const WORK = `<macro name="work">
    <choose>
      <if variable="container-title"><text variable="title" quotes="true" text-case="title"/></if>
      <else><text variable="title" text-case="title"/></else>
    </choose>
  </macro>`;

const ORDER = `<macro name="order">
    <choose>
      <if variable="author"><text macro="people"/></if>
      <else><text variable="title"/></else>
    </choose>
  </macro>`;

const WHEN = `<macro name="when">
    <choose>
      <if type="book">
        <date variable="issued"><date-part name="year"/></date>
      </if>
      <else-if type="article-journal">
        <date variable="issued" delimiter=" ">
          <date-part name="month" form="short"/>
          <date-part name="year"/>
        </date>
      </else-if>
      <else>
        <date variable="issued" delimiter=" ">
          <date-part name="day"/>
          <date-part name="month" form="short"/>
          <date-part name="year"/>
        </date>
      </else>
    </choose>
  </macro>`;

const VISITED = `<macro name="visited">
    <choose>
      <if variable="issued" match="none">
        <date variable="accessed" prefix="Accessed " delimiter=" ">
          <date-part name="day"/>
          <date-part name="month" form="short"/>
          <date-part name="year"/>
        </date>
      </if>
    </choose>
  </macro>`;

/** The style; it names no year beside the author, so there is none to tell works apart by. */
export const MLA = toStyle({
  name: 'MLA',
  attributes: 'demote-non-dropping-particle="never"',
  macros: [MONTHS, PEOPLE, WORK, ORDER, WHEN, LINK, VISITED],
  citation: `<citation>
    <layout><text value="cited "/><text macro="order"/></layout>
  </citation>`,
  bibliography: `<bibliography et-al-min="3" et-al-use-first="1" subsequent-author-substitute="---">
    <sort>
      <key macro="order"/>
      <key variable="title"/>
    </sort>
    <layout suffix=".">
      <group delimiter=". ">
        <text macro="people"/>
        <text macro="work"/>
        <group delimiter=", ">
          <text variable="container-title"/>
          <text variable="publisher"/>
          <text macro="when"/>
          <text macro="link"/>
        </group>
        <text macro="visited"/>
      </group>
    </layout>
  </bibliography>`,
});
